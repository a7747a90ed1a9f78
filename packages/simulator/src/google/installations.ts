/**
 * The installations that the simulated Google knows, by their Firebase installation ids (FIDs). The rules: FCM v1
 * accepts `fid` instead of `token` (reference of `projects.messages`, 2026). For an id that is not registered for
 * messaging, it answers UNREGISTERED (firebase-admin-dotnet#534). A registration token begins with the id of its
 * installation and a colon, and stops working once a message was sent to the id (pigeon#304).
 */

export type GoogleInstallations = ReturnType<typeof createGoogleInstallations>;

export function createGoogleInstallations() {
  const known = new Set<string>();
  const sentTo = new Set<string>();
  return {
    /** Registers an installation for messaging. */
    registerInstallation: (fid: string): void => void known.add(fid),
    isKnown: (fid: string): boolean => known.has(fid),
    /** Records that a message was sent to the id. */
    sentTo: (fid: string): void => void sentTo.add(fid),
    /** Whether the token stopped working because a message was sent to the id of its installation. */
    hasMoved: (token: string): boolean =>
      token.includes(':') && sentTo.has(token.slice(0, token.indexOf(':'))),
  };
}

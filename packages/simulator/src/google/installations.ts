/**
 * The installations that the simulated Google knows, by their Firebase installation ids (FIDs). The rules: FCM v1
 * accepts `fid` instead of `token` (reference of `projects.messages`, 2026). For an id that is not registered for
 * messaging, it answers UNREGISTERED (firebase-admin-dotnet#534). A registration token begins with the id of its
 * installation and a colon, and stops working once a message was sent to the id (pigeon#304).
 */

export interface GoogleInstallations {
  /** Registers an installation for messaging. */
  registerInstallation(fid: string): void;
  isKnown(fid: string): boolean;
  /** Records that a message was sent to the id. */
  sentTo(fid: string): void;
  /** Whether the token stopped working because a message was sent to the id of its installation. */
  hasMoved(token: string): boolean;
}

export function createGoogleInstallations(): GoogleInstallations {
  const known = new Set<string>();
  const sentTo = new Set<string>();
  return {
    registerInstallation: (fid) => {
      known.add(fid);
    },
    isKnown: (fid) => known.has(fid),
    sentTo: (fid) => {
      sentTo.add(fid);
    },
    hasMoved: (token) => {
      const [fid, ...rest] = token.split(':');
      return fid !== undefined && rest.length > 0 && sentTo.has(fid);
    },
  };
}

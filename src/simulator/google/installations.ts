/**
 * The installations that the local Google knows by their Firebase installation ids (FIDs). Facts: FCM v1 takes `fid` in
 * place of `token` (reference of `projects.messages`, 2026); an id that is not registered for messaging is answered with
 * UNREGISTERED (firebase-admin-dotnet#534); a registration token begins with the id of its installation and a colon, and
 * stops working once a message was sent to the id (pigeon#304).
 */

export interface GoogleInstallations {
  /** Registers an app instance for messages by its installation id. */
  registerInstallation(fid: string): void;
  isKnown(fid: string): boolean;
  /** Records that a message was sent to the id. */
  sentTo(fid: string): void;
  /** Whether messages have been sent to the id of a registration token's installation. */
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

/**
 * A Firebase installation id: 17 bytes in base64url, cut to 22 characters; the first four bits are 0111. Source:
 * Firebase's own SDK (`packages/installations/src/helpers/generate-fid.ts`). An FCM registration token looks different:
 * an installation id, a colon and some 140 characters.
 */
export const INSTALLATION_ID = /^[cdef][A-Za-z0-9_-]{21}$/;

/** What the files are that Apple and Google give out for a server. */

export type CredentialFile =
  | { gateway: 'apns'; privateKey: string; keyId: string }
  | { gateway: 'fcm'; account: object; projectId: string }
  | { gateway: undefined; fault: string };

/** Apple names the file after the key. */
const APPLE_NAME = /AuthKey_([A-Z0-9]{10})\b/;

/** @param file `name` is '' for a text that was pasted */
export function readCredentialFile({ name, text }: { name: string; text: string }): CredentialFile {
  if (/-----BEGIN (?:EC )?PRIVATE KEY-----/.test(text) && !text.trimStart().startsWith('{')) {
    return { gateway: 'apns', privateKey: text, keyId: APPLE_NAME.exec(name)?.[1] ?? '' };
  }
  const account = jsonObject(text);
  if (account === undefined) {
    return {
      gateway: undefined,
      fault: 'This is neither the .p8 key of Apple nor the JSON of a service account.',
    };
  }
  if ('project_info' in account) {
    const fault =
      'This is google-services.json, which belongs into the app. The server needs a service account.';
    return { gateway: undefined, fault };
  }
  const projectId =
    'project_id' in account && typeof account.project_id === 'string' ? account.project_id : '';
  if (projectId !== '' && 'private_key' in account) return { gateway: 'fcm', account, projectId };
  return { gateway: undefined, fault: 'This JSON is not that of a service account: it has no private key.' };
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

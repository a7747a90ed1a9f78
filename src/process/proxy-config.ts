/** The settings of the proxy for outgoing connections: their forms. `settings.ts` describes them. */
import { z } from 'zod';
import { parseProxyUrl, type ProxySettings } from '../proxy/proxy-settings.ts';

export const proxyFields = {
  HTTPS_PROXY: z
    .string()
    .refine(
      (text) => parseProxyUrl(text) !== undefined,
      'must have the form http://user:password@proxy.example.com:3128, with http or https',
    )
    .transform((text) => parseProxyUrl(text) ?? text)
    .optional(),
  NO_PROXY: z.string().default(''),
};

/**
 * Many programs read these names in lower case, some only in lower case; as in curl, that spelling takes precedence.
 */
export function readLowerCase(present: Map<string, string>): void {
  for (const name of Object.keys(proxyFields)) {
    const value = present.get(name.toLowerCase());
    if (value !== undefined) present.set(name, value);
  }
}

export function proxyOf({
  HTTPS_PROXY: url,
  NO_PROXY: except,
}: {
  HTTPS_PROXY?: string | undefined;
  NO_PROXY: string;
}): ProxySettings | undefined {
  return url === undefined ? undefined : { url, except };
}

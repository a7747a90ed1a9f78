// Texts that only this browser reads: the page registers `await carillonText.publicKey()` as `encryption_key`, and the service
// worker passes each push through `carillonText.open`. It is a plain script for both: <script src> and importScripts().
(() => {
  const P256 = { name: 'ECDH', namedCurve: 'P-256' };
  const ALG = 'ECDH-ES';
  const ENC = 'A256GCM';

  /**
   * The pair that is kept in IndexedDB. Nobody can export its private key, not even a script of the site.
   * @param made kept if there is none yet
   */
  const kept = (made) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open('carillon-text');
      opening.onupgradeneeded = () => opening.result.createObjectStore('kept');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const database = opening.result;
        const transaction = database.transaction('kept', made ? 'readwrite' : 'readonly');
        const store = transaction.objectStore('kept');
        const request = store.get('pair');
        let pair;
        request.onsuccess = () => {
          pair = request.result ?? made;
          if (pair && pair === made) store.put(made, 'pair');
        };
        transaction.oncomplete = () => resolve(pair);
        transaction.onabort = () => reject(transaction.error);
        database.close(); // when the transaction has ended
      };
    });

  const bytesOf = (base64url) => {
    const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/');
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  };
  const utf8 = (text) => new TextEncoder().encode(text);
  const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));
  /** A number as four bytes, the first the highest. */
  const four = (number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
  const withLength = (bytes) => joined(four(bytes.length), bytes);

  /**
   * The key of a text: Concat KDF with SHA-256 (RFC 7518, 4.6.2), one round.
   * @param privateKey of P-256
   * @param header of the JWE: `epk`, and `apu` and `apv` if it has them
   * @param enc the algorithm that the key is for
   * @param bits of the key, at most 256
   */
  const deriveKey = async (privateKey, { epk, apu = '', apv = '' }, enc, bits) => {
    const { kty, crv, x, y } = epk;
    const sender = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, P256, false, []);
    const secret = await crypto.subtle.deriveBits({ name: 'ECDH', public: sender }, privateKey, 256);
    const hashed = joined(
      four(1),
      new Uint8Array(secret),
      withLength(utf8(enc)),
      withLength(bytesOf(apu)),
      withLength(bytesOf(apv)),
      four(bits),
    );
    return new Uint8Array(await crypto.subtle.digest('SHA-256', hashed)).slice(0, bits / 8);
  };

  /** @returns the JSON in a JWE (RFC 7516). @throws if it was made for another key, or changed */
  const decrypt = async (jwe, privateKey) => {
    const [protectedHeader, , iv, ciphertext, tag] = jwe.split('.');
    const header = JSON.parse(new TextDecoder().decode(bytesOf(protectedHeader)));
    if (header.alg !== ALG || header.enc !== ENC) throw new Error('not made with ECDH-ES and A256GCM');
    const raw = await deriveKey(privateKey, header, ENC, 256);
    const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['decrypt']);
    const parameters = { name: 'AES-GCM', iv: bytesOf(iv), additionalData: utf8(protectedHeader) };
    const clear = await crypto.subtle.decrypt(parameters, key, joined(bytesOf(ciphertext), bytesOf(tag)));
    return JSON.parse(new TextDecoder().decode(clear));
  };

  /** @returns the JWK to register as `encryption_key`; the pair is made the first time */
  const publicKey = async () => {
    const pair = (await kept()) ?? (await kept(await crypto.subtle.generateKey(P256, false, ['deriveBits'])));
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey);
    return { kty, crv, x, y };
  };

  /**
   * @param message the JSON of a push
   * @returns it with the `title` and `alert` that were encrypted, and their other keys in `notification.data`; unchanged, with the
   *   fallback, if it has no text for this browser
   */
  const open = async (message) => {
    try {
      const { _jwe: jwe, ...data } = message.notification.data;
      if (jwe === undefined) return message;
      const { title, alert, ...others } = Object(await decrypt(jwe, (await kept()).privateKey));
      const texts = title === undefined ? { title: alert, body: undefined } : { title, body: alert };
      const shown = texts.title === undefined ? {} : texts;
      return {
        ...message,
        notification: { ...message.notification, ...shown, data: { ...data, ...others } },
      };
    } catch {
      return message;
    }
  };

  self.carillonText = { publicKey, open, deriveKey };
})();

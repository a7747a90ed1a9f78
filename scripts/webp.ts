import type { Page } from 'playwright-core';

/** A third of the bytes of a PNG, and text stays sharp. */
const QUALITY = 0.8;

/** Turns a screenshot into WebP, in the browser that took it. */
export async function webpOf(page: Page, png: Buffer): Promise<Buffer> {
  const address: string = await page.evaluate(`(async () => {
    const png = Uint8Array.fromBase64(${JSON.stringify(png.toString('base64'))});
    const image = await createImageBitmap(new Blob([png]));
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', ${QUALITY});
  })()`);
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
}

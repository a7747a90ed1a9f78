/** A QR code, drawn here: the address in it is a secret. */
import { useEffect, useState } from 'preact/hooks';

/** @param props.label what a screen reader says */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [rows, setRows] = useState<readonly (readonly boolean[])[]>([]);
  useEffect(() => {
    let isShown = true;
    // Most visits of the account need no QR code.
    const draw = async (): Promise<void> => {
      const { encode } = await import('uqr');
      if (isShown) setRows(encode(text, { ecc: 'M', border: 4 }).data);
    };
    // Without it, the secret next to it can be typed.
    draw().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [text]);
  // Dark on light in both themes: some apps read nothing else.
  return (
    <svg
      class="account-qr"
      viewBox={`0 0 ${rows.length || 1} ${rows.length || 1}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges">
      <rect width="100%" height="100%" fill="white" />
      <path d={pathOf(rows)} fill="black" />
    </svg>
  );
}

/** @returns a square for each dark module */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  return rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
}

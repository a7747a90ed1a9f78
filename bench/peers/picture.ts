/** Draws the rates of all peers as bars, for light and dark pages. */
const WIDTH = 760;
const NAMES = 230;
const BAR = 9;
const GAP = 12;
const TOP = 44;
const COLOURS = ['#3b82c4', '#8a6fd1', '#c9792b', '#6f8f3a'];

interface Rates {
  name: string;
  rates: readonly { way: string; rate: number }[];
}

/** @returns an SVG */
export function drawPicture(peers: readonly Rates[]): string {
  const ways = peers[0]?.rates.map(({ way }) => way) ?? [];
  const most = Math.max(...peers.flatMap(({ rates }) => rates.map(({ rate }) => rate)), 1);
  const height = BAR * ways.length + GAP;
  const key = ways.map((way, index) => {
    const x = NAMES + index * 110;
    return `${bar(x, 24, 10, index)}<text x="${x + 15}" y="33">${way}</text>`;
  });
  const rows = peers.map(({ name, rates }, row) => {
    const y = TOP + row * height;
    const bars = rates.map(({ rate }, index) => {
      const length = (rate / most) * (WIDTH - NAMES - 60);
      const label = `<text class="n" x="${(NAMES + length + 5).toFixed(1)}" y="${y + (index + 1) * BAR - 1}">${Math.round(rate).toLocaleString('en')}</text>`;
      return bar(NAMES, y + index * BAR, length, index) + (rate > 0 ? label : '');
    });
    const middle = y + (BAR * ways.length) / 2 + 4;
    return `<text x="${NAMES - 10}" y="${middle}" text-anchor="end">${name}</text>${bars.join('')}`;
  });
  const bottom = TOP + peers.length * height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom}" role="img">
<title>Pushes per second with equal payloads, by round trip</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.n { font-size: 9px; }
@media (prefers-color-scheme: dark) { text { fill: #d1d7de; } }
</style>
<text x="10" y="33">Pushes per second</text>
${[...key, ...rows].join('\n')}
</svg>
`;
}

function bar(x: number, y: number, length: number, colour: number): string {
  return `<rect x="${x}" y="${y}" width="${length.toFixed(1)}" height="${BAR - 1}" fill="${COLOURS[colour] ?? ''}"/>`;
}

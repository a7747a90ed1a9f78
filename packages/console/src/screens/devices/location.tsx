/** Where the device was: coordinates, and a small map that uses no server but ours. */
import { Card, Facts } from '../../kit/card.tsx';
import { Background } from '../../filter-builder/map/place-map.tsx';
import { spotOf } from '../../filter-builder/map/mercator.ts';
import { onScreen, type View, within } from '../../filter-builder/map/view.ts';
import type { Device, StoredPlace } from '../../replies.ts';

/** Coordinates are shown to about ten metres. */
const DIGITS = 4;
const WIDTH = 480;
const HEIGHT = 220;
/** The width of the map in degrees: a medium-sized country. */
const SHOWN_DEGREES = 14;

/** Nothing, if no location is known. */
export function Location({ device }: { device: Device }) {
  const { location, sdk_location: precise } = device;
  const shown = precise ?? location;
  if (shown === null) return null;
  return (
    <Card title="Location">
      <Map at={shown} />
      <Facts
        facts={[
          ['From GPS', precise && written(precise)],
          ['Reported, or from the address', location && written(location)],
        ]}
      />
    </Card>
  );
}

function Map({ at }: { at: StoredPlace }) {
  const view: View = within({
    center: spotOf(at),
    scale: (WIDTH * 360) / SHOWN_DEGREES,
    width: WIDTH,
    height: HEIGHT,
  });
  const { x, y } = onScreen(view, at);
  return (
    <svg class="devices-map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Map around ${written(at)}`}>
      <Background view={view} />
      <circle cx={x.toFixed(1)} cy={y.toFixed(1)} r="6" />
    </svg>
  );
}

function written({ latitude, longitude }: StoredPlace): string {
  const north = `${Math.abs(latitude).toFixed(DIGITS)}° ${latitude < 0 ? 'S' : 'N'}`;
  const east = `${Math.abs(longitude).toFixed(DIGITS)}° ${longitude < 0 ? 'W' : 'E'}`;
  return `${north}, ${east}`;
}

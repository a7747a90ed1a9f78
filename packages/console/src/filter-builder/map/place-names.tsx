/** The names of the largest places that a map shows. */
import type { Content } from '../../kit/content.ts';
import { labelsFor } from './labels.ts';
import { pointName, usePlacesIn } from './places.ts';
import { type View, onEarth } from './view.ts';

export function PlaceNames({ view }: { view: View }): Content {
  const labels = labelsFor(view, usePlacesIn(view));
  return (
    <g class="place-names" aria-hidden="true">
      {labels.length === 0 && <Whereabouts view={view} />}
      {labels.map(({ name, dot, x, y, anchor }) => (
        <g key={`${name} ${dot.x} ${dot.y}`}>
          <circle cx={dot.x.toFixed(1)} cy={dot.y.toFixed(1)} r="2" />
          <text x={x.toFixed(1)} y={y.toFixed(1)} text-anchor={anchor}>
            {name}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Zoomed in between towns, the map says where it is. */
function Whereabouts({ view }: { view: View }): Content {
  const middle = onEarth(view, { x: view.width / 2, y: view.height / 2 });
  const name = pointName(middle);
  return (
    name !== undefined && (
      <text x="10" y="20">
        {name}
      </text>
    )
  );
}

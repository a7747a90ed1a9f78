/** A field that moves a map to a town. */
import { useState } from 'preact/hooks';
import type { Content } from '../../kit/content.ts';
import { Combobox } from '../combobox.tsx';
import { useFound } from '../suggestions.ts';
import { findPlaces, type Place } from './places.ts';

export function PlaceSearch({ onFind }: { onFind: (place: Place) => void }): Content {
  const [text, setText] = useState('');
  const asked = text.trim() === '' ? undefined : text.trim();
  const found = useFound(findPlaces, asked) ?? [];
  const options = (asked === undefined ? [] : found).map((place, index) => ({
    key: String(index),
    label: place.name,
    detail: [place.region, place.country].filter((part) => part !== '' && part !== place.name).join(', '),
    place,
  }));
  return (
    <Combobox
      aria-label="Find a town"
      placeholder="Find a town …"
      value={text}
      options={options}
      takesFirst
      onText={setText}
      onChoose={({ place }) => {
        setText('');
        onFind(place);
      }}
    />
  );
}

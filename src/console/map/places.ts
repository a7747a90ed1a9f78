/**
 * Finds towns by name, and names of places. The package `city-timezones` has 7,300 of them; by their values they are the populated
 * places of Natural Earth.
 */
import { readFile } from 'node:fs/promises';
import { geoDistance } from 'd3-geo';
import { z } from 'zod';

interface Place {
  name: string;
  /** Of the state or province; empty if it has none. */
  region: string;
  country: string;
  latitude: number;
  longitude: number;
  population: number;
}

type Spot = Pick<Place, 'latitude' | 'longitude'>;

export type Places = Awaited<ReturnType<typeof readPlaces>>;

/** In degrees. West is at most as far to the east as east: a map does not reach across the 180th meridian. */
interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

const FOUND_MAX = 10;
const NEAR_MAX = 3;
/** More names than fit on a map: those that would cover others are left out. */
const INSIDE_MAX = 60;
const NEAREST_KM_MAX = 500;
const EARTH_RADIUS_KM = 6_371;

const FILE = import.meta.resolve('city-timezones/data/cityMap.json');

const source = z.array(
  z.object({
    city: z.string(),
    city_ascii: z.string(),
    lat: z.number(),
    lng: z.number(),
    pop: z.number(),
    country: z.string(),
    province: z.string().nullish(),
  }),
);

interface Indexed {
  place: Place;
  /** Each spelling of its name, folded. */
  names: readonly string[];
  /** Words of the name, the region and the country, folded. */
  words: readonly string[];
}

/** Reads and indexes the file, which takes some 40 ms. */
export async function readPlaces() {
  const read = source.parse(JSON.parse(await readFile(new URL(FILE), 'utf8')));
  const places = read.map(indexed).sort((left, right) => right.place.population - left.place.population);
  return {
    /** @returns names that begin with the text, then those with all its words, the largest first; accents and case do not matter */
    find(text: string): Place[] {
      const folded = fold(text);
      if (folded === '') return [];
      const begin = places.filter(({ names }) => names.some((name) => name.startsWith(folded)));
      const asked = folded.split(' ');
      const others = places.filter((each) => !begin.includes(each) && hasWords(each, asked));
      return [...begin, ...others].slice(0, FOUND_MAX).map(({ place }) => place);
    },
    /** @returns the largest places within the circle, at most `NEAR_MAX`; if there is none, the nearest one within 500 km */
    near(center: Spot, radiusKm: number): (Place & { distance_km: number })[] {
      const measured = places.map(({ place }) =>
        Object.assign({ distance_km: distanceKm(place, center) }, place),
      );
      const inside = measured.filter((each) => each.distance_km <= radiusKm).slice(0, NEAR_MAX);
      if (inside.length > 0) return inside;
      const [nearest] = measured.toSorted((left, right) => left.distance_km - right.distance_km);
      return nearest === undefined || nearest.distance_km > NEAREST_KM_MAX ? [] : [nearest];
    },
    /** @returns the largest places within the box, at most `INSIDE_MAX` */
    inside({ west, south, east, north }: Box): Place[] {
      const found = places.filter(
        ({ place: { latitude: at, longitude } }) =>
          at >= south && at <= north && longitude >= west && longitude <= east,
      );
      return found.slice(0, INSIDE_MAX).map(({ place }) => place);
    },
  };
}

function indexed(town: z.output<typeof source>[number]): Indexed {
  const { city: name, city_ascii: ascii, lat: latitude, lng: longitude, pop, country } = town;
  const region = town.province ?? '';
  const names = [...new Set([fold(name), fold(ascii)])];
  return {
    place: { name, region, country, latitude, longitude, population: Math.max(0, Math.round(pop)) },
    names,
    words: [...names, fold(region), fold(country)].flatMap((text) => text.split(' ')),
  };
}

/** Whether a word of the name begins with the first word that is asked for, and one of all its words with each other. */
function hasWords({ names, words }: Indexed, [first = '', ...others]: readonly string[]): boolean {
  return (
    names.some((name) => ` ${name}`.includes(` ${first}`)) &&
    others.every((asked) => words.some((word) => word.startsWith(asked)))
  );
}

/** Letters that Unicode does not take apart into a letter and an accent. */
const WHOLE_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** @returns the text in lower case without accents, with single spaces for all that is neither a letter nor a digit */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => WHOLE_LETTERS[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/['’`]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function distanceKm(from: Spot, to: Spot): number {
  const radians = geoDistance([from.longitude, from.latitude], [to.longitude, to.latitude]);
  return Math.round(radians * EARTH_RADIUS_KM);
}

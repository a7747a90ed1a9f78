import { useRef } from 'preact/hooks';

/**
 * Makes a key for each entry of a list whose entries are known only by position, so that an entry keeps its element
 * while others are removed.
 */
export function useListKeys(length: number): {
  of: (index: number) => number;
  remove: (index: number) => void;
} {
  const state = useRef<{ keys: number[]; next: number }>({ keys: [], next: 0 });
  const { current } = state;
  while (current.keys.length < length) current.keys.push(current.next++);
  current.keys.length = length;
  return {
    of: (index) => current.keys[index] ?? -1,
    remove: (index) => {
      current.keys.splice(index, 1);
    },
  };
}

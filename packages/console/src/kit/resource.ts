export { type Resource, useDebounced, useResource, useWhileVisible } from './states.tsx';

/** Where the time comes from. Handed in everywhere, so that tests own it. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

import { en } from './en.ts';

/** text is the catalogue in the reader's language. */
export const text = en;

/** plural writes a number with the form of a noun that belongs to it. */
export { plural } from './en.ts';

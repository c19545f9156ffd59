import type { Catalogue } from './index.ts';

export const es: Partial<Catalogue> = {};

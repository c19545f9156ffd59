import type { Catalogue } from './index.ts';

export const fr: Partial<Catalogue> = {};

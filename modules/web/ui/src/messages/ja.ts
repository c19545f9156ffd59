import type { Catalogue } from './index.ts';

export const ja: Partial<Catalogue> = {};

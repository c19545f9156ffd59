import type { HelpCatalogue } from './help.ts';

export const de: Partial<HelpCatalogue> = {};

import type { HelpCatalogue } from './help.ts';

export const es: Partial<HelpCatalogue> = {};

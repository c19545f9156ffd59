import type { AdminCatalogue } from './admin.ts';

export const de: Partial<AdminCatalogue> = {};

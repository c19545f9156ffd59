import type { AdminCatalogue } from './admin.ts';

export const ar: Partial<AdminCatalogue> = {};

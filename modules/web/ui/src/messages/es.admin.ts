import type { AdminCatalogue } from './admin.ts';

export const es: Partial<AdminCatalogue> = {};

import type { AdminCatalogue } from './admin.ts';

export const fr: Partial<AdminCatalogue> = {};

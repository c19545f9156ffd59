import type { Target } from './uploads.svelte.ts';

/** Module is the part that uploads files, which most visits do not need. */
type Module = typeof import('./uploads.svelte.ts');

let module: Module | undefined;

/** uploading loads the part that uploads files. */
export const uploading = async (): Promise<Module> => (module ??= await import('./uploads.svelte.ts'));

/** knownUploads returns the uploads for a text, if this page has begun any. */
export const knownUploads = (slot: string) => module?.known(slot);

/** renamedUploads takes the uploads for a text along when it gets another name, and returns them. */
export function renamedUploads(from: string, to: string, elsewhere: Target) {
  module?.rename(from, to, elsewhere);
  return knownUploads(to);
}

/** parts are loaded when they are opened. */
export const parts = {
  answer: () => import('./Answer.svelte'),
  attachments: () => import('./Attachments.svelte'),
  editor: () => import('../message/EditBox.svelte'),
  recorder: () => import('./Recorder.svelte'),
};

import type { Question } from '../shell/ui.svelte.ts';
import { text } from '../texts/index.ts';

/** revoking is asked before an invitation is revoked. */
export const revoking: Question = {
  title: () => text.revokeTitle,
  hint: () => text.revokeHint,
  action: () => text.revoke,
};

/** archiving is asked before a channel is archived. */
export const archiving: Question = {
  title: () => text.archive,
  hint: () => text.archiveHint,
  action: () => text.archive,
};

/** unsaved is asked before changes are lost. */
export const unsaved: Question = {
  title: () => text.unsavedTitle,
  hint: () => text.unsavedHint,
  action: () => text.discard,
};

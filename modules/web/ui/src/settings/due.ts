import { dayOf } from '../format/dates.ts';
import { ui } from '../shell/ui.svelte.ts';
import { personal } from '../texts/personal.ts';
import { secondFactors } from './secondfactor.ts';

/** checkDue finds out whether the user should be warned to set up a second factor, which will soon be necessary. */
export async function checkDue(): Promise<void> {
  const { required, app, passkeys, due_at: due } = await secondFactors();
  const warns = required && !app && passkeys.length === 0 && due;
  ui.due = warns ? { text: () => personal.secondFactorDue(dayOf(due)), action: () => personal.setUp } : undefined;
}

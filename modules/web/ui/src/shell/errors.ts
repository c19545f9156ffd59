import { ApiError } from '../api/http.ts';
import { text } from '../texts/index.ts';

/** errorText returns an error's message in the user's language. The server has translated its own messages. */
export function errorText(e: unknown): string {
  if (!(e instanceof ApiError)) return e instanceof Error ? e.message : String(e);
  if (e.code === 'NOT_JSON') return text.somethingWrong;
  return e.status === 0 && (e.code === 'NETWORK' || e.code === 'UPLOAD') ? text.startFailed : e.message;
}

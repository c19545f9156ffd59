import { ApiError, parse } from './http.ts';

export interface Upload {
  done: Promise<Record<string, unknown>>;
  cancel(): void;
}

/** upload sends a file as a form. It uses XMLHttpRequest because fetch does not report upload progress. */
export function upload(
  path: string,
  file: File,
  csrf: string,
  progress: (part: number) => void,
  method: 'POST' | 'PATCH' = 'POST',
): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Record<string, unknown>>((resolve, reject) => {
    request.open(method, `/json${path}`);
    request.setRequestHeader('X-CSRFToken', csrf);
    request.upload.onprogress = (e) => progress(e.lengthComputable ? e.loaded / e.total : 0);
    request.onload = () => {
      try {
        resolve(parse(request.status, request.responseText) as Record<string, unknown>);
      } catch (e) {
        reject(e instanceof Error ? e : new Error(String(e)));
      }
    };
    request.onerror = () => reject(new ApiError(0, 'NETWORK', 'The server cannot be reached.'));
    request.onabort = () => reject(new ApiError(0, 'CANCELLED', 'Cancelled.'));
    const form = new FormData();
    form.append('file', file, file.name);
    request.send(form);
  });
  return { done, cancel: () => request.abort() };
}

/** SMALL is the size, in bytes, below which a file is sent with the first request. */
const SMALL = 256 << 10;

/** RETRIES are the delays before retries, in milliseconds. Progress starts the sequence over. */
const RETRIES = [0, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 60_000, 60_000];

/**
 * resumable uploads a file with the tus protocol. An interrupted upload continues after a lost connection or a page
 * reload.
 */
export function resumable(file: File, progress: (part: number) => void): Upload {
  let cancelled = false;
  let abort = () => {
    cancelled = true;
  };
  const done = import('tus-js-client').then(
    ({ Upload: Tus }) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const stopped = () => reject(new ApiError(0, 'CANCELLED', 'Cancelled.'));
        if (cancelled) {
          stopped();
          return;
        }
        const upload = new Tus(file, {
          endpoint: '/api/v1/tus/',
          retryDelays: RETRIES,
          removeFingerprintOnSuccess: true,
          // Another page can resume an upload only once its address is known.
          uploadDataDuringCreation: file.size < SMALL,
          metadata: { filename: file.name, filetype: file.type },
          onProgress: (sent, all) => progress(all > 0 ? sent / all : 1),
          onShouldRetry: (e) => {
            const status = e.originalResponse?.getStatus() ?? 0;
            return status < 400 || status === 409 || status === 423 || status === 429 || status >= 500;
          },
          onError: (e) => reject('originalResponse' in e ? refusal(e.originalResponse) : e),
          onSuccess: ({ lastResponse }) => resolve(JSON.parse(lastResponse.getBody()) as Record<string, unknown>),
        });
        abort = () => {
          void upload.abort(true).catch(() => undefined);
          stopped();
        };
        void upload.findPreviousUploads().then((earlier) => {
          if (earlier[0]) upload.resumeFromPreviousUpload(earlier[0]);
          upload.start();
        });
      }),
  );
  return { done, cancel: () => abort() };
}

function refusal(response: { getStatus(): number; getBody(): string } | null | undefined): ApiError {
  let message = 'The server cannot be reached.';
  try {
    message = String((JSON.parse(response?.getBody() ?? '') as { message?: unknown }).message ?? message);
  } catch {
    // No response, or not one from the server.
  }
  return new ApiError(response?.getStatus() ?? 0, 'UPLOAD', message);
}

import { ApiError, parse } from './http.ts';

export interface Upload {
  done: Promise<Record<string, unknown>>;
  cancel(): void;
}

/** upload sends a file as a form. It uses XMLHttpRequest, since fetch does not report the progress of an upload. */
export function upload(path: string, file: File, csrf: string, progress: (part: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Record<string, unknown>>((resolve, reject) => {
    request.open('POST', `/json${path}`);
    request.setRequestHeader('X-CSRFToken', csrf);
    request.upload.onprogress = (e) => progress(e.lengthComputable ? e.loaded / e.total : 0);
    request.onload = () => {
      try {
        resolve(parse(request.status, request.responseText) as Record<string, unknown>);
      } catch (e) {
        reject(e as Error);
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

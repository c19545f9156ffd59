/** paced returns a function that calls run at once or, so often as once per interval, as soon as that has passed. */
export function paced(interval: number, run: () => void): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const call = () => {
    timer = undefined;
    last = performance.now();
    run();
  };
  return () => {
    const rest = last + interval - performance.now();
    if (rest <= 0) call();
    else timer ??= setTimeout(call, rest);
  };
}

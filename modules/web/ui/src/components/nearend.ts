const DISTANCE = 600; // pixels

/** onNearEnd calls more when the user scrolls near the end, so that long lists start short. */
export function onNearEnd(more: () => void): (element: HTMLElement) => () => void {
  return (element) => {
    const check = () => {
      if (element.scrollHeight - element.scrollTop - element.clientHeight < DISTANCE) more();
    };
    element.addEventListener('scroll', check, { passive: true });
    return () => element.removeEventListener('scroll', check);
  };
}

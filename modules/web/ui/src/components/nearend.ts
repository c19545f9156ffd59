const NEAR = 600; // pixels

/** onNearEnd calls more when the user scrolls near the end, so that long lists start short. */
export function onNearEnd(more: () => void): (element: HTMLElement) => () => void {
  return (element) => {
    const look = () => {
      if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR) more();
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  };
}

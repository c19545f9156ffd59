/**
 * withDuration makes a player find the length of a recording: browsers do not write it into the file, and read it only
 * from the end.
 */
export function withDuration(player: HTMLMediaElement): void {
  player.addEventListener(
    'loadedmetadata',
    () => {
      if (player.duration !== Infinity) return;
      player.addEventListener('timeupdate', () => (player.currentTime = 0), { once: true });
      player.currentTime = Number.MAX_SAFE_INTEGER;
    },
    { once: true },
  );
}

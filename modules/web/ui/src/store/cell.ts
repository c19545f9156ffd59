/** Cell tells listeners that a part of the store has changed. Views bind to it; the store knows nothing about them. */
export class Cell {
  version = 0;
  private listeners = new Set<() => void>();

  touch(): void {
    this.version++;
    for (const listener of [...this.listeners]) listener();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Cell notifies listeners of a change in one part of the store. It keeps the store independent of the views. */
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

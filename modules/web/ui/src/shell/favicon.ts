/** label shortens a count to what can be read at the size of an icon. */
const label = (count: number) => (count > 99 ? '99+' : String(count));

/** withCount draws a count into the lower corner of an SVG image, whatever its size. */
function withCount(image: string, count: number): string {
  const box =
    /viewBox="([^"]*)"/
      .exec(image)?.[1]
      ?.split(/[\s,]+/)
      .map(Number) ?? [];
  const [x = 0, y = 0, width = 64, height = width] = box;
  const side = Math.min(width, height);
  const [w, h] = [side * (0.36 + 0.22 * label(count).length), side * 0.58];
  const [left, top] = [x + width - w, y + height - h];
  const badge =
    `<rect x="${left}" y="${top}" width="${w}" height="${h}" rx="${h / 2}" fill="#c62828"/>` +
    `<text x="${left + w / 2}" y="${top + h * 0.8}" font-size="${side * 0.5}" font-family="sans-serif" ` +
    `font-weight="bold" text-anchor="middle" fill="#fff">${label(count)}</text>`;
  return image.replace(/<\/svg>\s*$/, `${badge}</svg>`);
}

/** Favicon shows a count on the page's icon. */
class Favicon {
  private plain = '';
  private image: Promise<string> | undefined;
  private latest = '';

  async show(count: number): Promise<void> {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    const wanted = label(count);
    if (this.latest === wanted && this.image) return;
    this.latest = wanted;
    if (!link || (count === 0 && !this.image)) return;
    if (!this.image) {
      this.plain = link.href;
      this.image = fetch(this.plain).then((r) => (r.ok ? r.text() : Promise.reject(new Error(r.statusText))));
    }
    try {
      const image = await this.image;
      if (this.latest !== wanted) return;
      link.href = count === 0 ? this.plain : `data:image/svg+xml,${encodeURIComponent(withCount(image, count))}`;
    } catch {
      this.image = undefined; // offline: the next change tries again
    }
  }
}

export const favicon = new Favicon();

package images

import "sync"

// drawCache caches generated images, which take much longer to draw than to serve. It has two halves: new entries go to
// the newer one, and when that is full it replaces the older one.
type drawCache struct {
	draw func(address string) ([]byte, bool) // deterministic
	half int                                 // maximum size of each half in bytes, including the addresses

	mu           sync.Mutex
	newer, older map[string][]byte
	bytes        int // size of newer
}

// maxCacheBytes is the maximum size of the cache in bytes, enough for a few thousand images.
const maxCacheBytes = 1 << 20

func newDrawCache(draw func(string) ([]byte, bool)) *drawCache {
	return &drawCache{draw: draw, half: maxCacheBytes / 2, newer: map[string][]byte{}}
}

// get returns the image at an address, or false if no image is generated for it. The caller must not modify the image.
func (d *drawCache) get(address string) ([]byte, bool) {
	d.mu.Lock()
	data, ok := d.newer[address]
	if !ok {
		if data, ok = d.older[address]; ok {
			d.put(address, data)
		}
	}
	d.mu.Unlock()
	if ok {
		return data, true
	}
	if data, ok = d.draw(address); ok {
		d.mu.Lock()
		d.put(address, data)
		d.mu.Unlock()
	}
	return data, ok
}

func (d *drawCache) put(address string, data []byte) {
	if _, had := d.newer[address]; had { // drawn concurrently
		return
	}
	size := len(address) + len(data)
	if d.bytes+size > d.half {
		d.older, d.newer, d.bytes = d.newer, map[string][]byte{}, 0
	}
	d.newer[address] = data
	d.bytes += size
}

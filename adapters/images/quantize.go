package images

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

type rgb [3]uint8

// tint is a color and its number of pixels.
type tint struct {
	rgb
	count int
}

// group is a set of colors to be merged into one color.
type group struct {
	tints   []tint
	channel int // the one with the largest range of values
	spread  int // that range
}

// toPaletted reduces a picture to its most suitable colors and adds a transparent entry for invisible pixels.
func toPaletted(img *image.NRGBA) *image.Paletted {
	palette, index := quantize(img, 255)
	out := image.NewPaletted(img.Rect, append(color.Palette{color.NRGBA{}}, palette...))
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i+3] >= 0x80 {
			out.Pix[i/4] = 1 + index[rgb(img.Pix[i:i+3])]
		}
	}
	return out
}

// quantize returns up to n colors for the visible pixels, and the index for each original color. It keeps the original
// colors if there are few; otherwise it repeatedly halves the group with the widest range (median cut).
func quantize(img *image.NRGBA, n int) (color.Palette, map[rgb]uint8) {
	counts := map[rgb]int{}
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i+3] >= 0x80 {
			counts[rgb(img.Pix[i:i+3])]++
		}
	}
	all := make([]tint, 0, len(counts))
	for c, count := range counts {
		all = append(all, tint{c, count})
	}
	slices.SortFunc(all, func(a, b tint) int { return slices.Compare(a.rgb[:], b.rgb[:]) }) // map order is random
	groups := []group{grouped(all)}
	for len(groups) < min(n, len(all)) {
		widest := 0
		for i, g := range groups {
			if g.spread > groups[widest].spread {
				widest = i
			}
		}
		a, b := groups[widest].halves()
		groups[widest] = a
		groups = append(groups, b)
	}
	palette, index := make(color.Palette, len(groups)), make(map[rgb]uint8, len(all))
	for i, g := range groups {
		palette[i] = g.mean()
		for _, t := range g.tints {
			index[t.rgb] = uint8(i)
		}
	}
	return palette, index
}

func grouped(tints []tint) group {
	g := group{tints: tints}
	for c := range 3 {
		low, high := 255, 0
		for _, t := range tints {
			low, high = min(low, int(t.rgb[c])), max(high, int(t.rgb[c]))
		}
		if high-low > g.spread {
			g.channel, g.spread = c, high-low
		}
	}
	return g
}

// halves splits a group of different colors at the median pixel.
func (g group) halves() (a, b group) {
	slices.SortStableFunc(g.tints, func(x, y tint) int { return cmp.Compare(x.rgb[g.channel], y.rgb[g.channel]) })
	total := 0
	for _, t := range g.tints {
		total += t.count
	}
	at, seen := 1, g.tints[0].count
	for at < len(g.tints)-1 && seen+g.tints[at].count <= total/2 {
		seen += g.tints[at].count
		at++
	}
	return grouped(g.tints[:at]), grouped(g.tints[at:])
}

func (g group) mean() color.NRGBA {
	var sum [3]int
	total := 0
	for _, t := range g.tints {
		for c := range 3 {
			sum[c] += int(t.rgb[c]) * t.count
		}
		total += t.count
	}
	if total == 0 {
		return color.NRGBA{A: 0xff}
	}
	at := func(c int) uint8 { return uint8(sum[c] / total) }
	return color.NRGBA{at(0), at(1), at(2), 0xff}
}

// Package idset implements immutable sets of IDs as sorted slices: small, shareable between versions of a view, and
// fast to intersect. Results may share memory with their inputs.
package idset

import "slices"

// Set is a strictly ascending list of IDs.
type Set[T ~int64] []T

// Of returns the set of IDs given in any order, with or without duplicates.
func Of[T ~int64](ids ...T) Set[T] {
	if len(ids) == 0 {
		return nil
	}
	s := slices.Clone(ids)
	slices.Sort(s)
	return Set[T](slices.Compact(s))
}

// Has reports whether id is in the set.
func (s Set[T]) Has(id T) bool {
	_, ok := slices.BinarySearch(s, id)
	return ok
}

// Union returns the IDs that are in either set.
func (s Set[T]) Union(o Set[T]) Set[T] {
	if len(o) == 0 {
		return s
	}
	if len(s) == 0 {
		return o
	}
	return appendUnion(make(Set[T], 0, len(s)+len(o)), s, o)
}

// appendUnion appends the union of two sets to out.
func appendUnion[T ~int64](out, s, o Set[T]) Set[T] {
	i, j := 0, 0
	for i < len(s) && j < len(o) {
		switch {
		case s[i] < o[j]:
			out = append(out, s[i])
			i++
		case s[i] > o[j]:
			out = append(out, o[j])
			j++
		default:
			out = append(out, s[i])
			i, j = i+1, j+1
		}
	}
	out = append(out, s[i:]...)
	return append(out, o[j:]...)
}

// Union returns the union of any number of sets, in about O(n log n) time for n IDs in total.
func Union[T ~int64](sets ...Set[T]) Set[T] {
	const maxIDs = 1 << 16 // IDs merged at a time, which bounds the temporary memory
	var all Set[T]
	for len(sets) > 0 {
		n, ids := 0, 0
		for n < len(sets) && (n == 0 || ids+len(sets[n]) <= maxIDs) {
			ids += len(sets[n])
			n++
		}
		all = all.Union(mergePairs(sets[:n]))
		sets = sets[n:]
	}
	return all
}

// mergePairs merges sets pairwise until one is left, so that each ID is copied O(log n) times.
func mergePairs[T ~int64](sets []Set[T]) Set[T] {
	for len(sets) > 1 {
		ids := 0
		for _, s := range sets {
			ids += len(s)
		}
		all, fewer := make(Set[T], 0, ids), make([]Set[T], 0, (len(sets)+1)/2)
		for i := 0; i < len(sets); i += 2 {
			from := len(all)
			if i+1 < len(sets) {
				all = appendUnion(all, sets[i], sets[i+1])
			} else {
				all = append(all, sets[i]...)
			}
			fewer = append(fewer, all[from:len(all):len(all)])
		}
		sets = fewer
	}
	return sets[0]
}

// Minus returns the IDs of s that are not in o.
func (s Set[T]) Minus(o Set[T]) Set[T] {
	if len(o) == 0 || len(s) == 0 {
		return s
	}
	out := make(Set[T], 0, len(s))
	j := 0
	for _, id := range s {
		for j < len(o) && o[j] < id {
			j++
		}
		if j < len(o) && o[j] == id {
			continue
		}
		out = append(out, id)
	}
	return out
}

// And returns the IDs that are in both sets.
func (s Set[T]) And(o Set[T]) Set[T] {
	if len(s) > len(o) {
		s, o = o, s
	}
	var out Set[T]
	if len(s)*16 < len(o) { // very different sizes: binary searches beat a merge
		for _, id := range s {
			if o.Has(id) {
				out = append(out, id)
			}
		}
		return out
	}
	j := 0
	for _, id := range s {
		for j < len(o) && o[j] < id {
			j++
		}
		if j < len(o) && o[j] == id {
			out = append(out, id)
		}
	}
	return out
}

// From returns the IDs of s that are not below from.
func (s Set[T]) From(from T) Set[T] {
	i, _ := slices.BinarySearch(s, from)
	return s[i:]
}

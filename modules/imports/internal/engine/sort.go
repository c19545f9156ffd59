package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/stoachat/stoa/domain/importing"
)

// sorter sorts messages by time, without keeping them in memory: runs of limited size are written to files, which are
// merged. Messages of the same time are ordered by conversation, then as in the source.
type sorter struct {
	dir   string
	limit int // bytes of a run
	size  int
	count int64
	now   []item
	runs  []string
}

type item struct{ key, value []byte }

// runBytes is the size of a run in memory.
const runBytes = 64 << 20

func newSorter(dir string, limit int) *sorter { return &sorter{dir: dir, limit: limit} }

// sortKey returns bytes that compare as messages are ordered.
func sortKey(m *importing.Message) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(m.Sent.Unix())^1<<63)
	b = binary.BigEndian.AppendUint32(b, uint32(m.Sent.Nanosecond()))
	b = append(append(b, m.Channel...), 0)
	for _, p := range m.People {
		b = append(append(b, p...), 1)
	}
	b = binary.BigEndian.AppendUint64(append(b, 0), uint64(m.Sequence)^1<<63)
	return append(b, m.Key...)
}

// add adds a message.
func (s *sorter) add(m *importing.Message) error {
	value, err := json.Marshal(m)
	if err != nil {
		return err
	}
	one := item{sortKey(m), value}
	s.now = append(s.now, one)
	s.count++
	if s.size += len(one.key) + len(one.value) + 64; s.size < s.limit {
		return nil
	}
	return s.spill()
}

// spill writes a run.
func (s *sorter) spill() error {
	if len(s.now) == 0 {
		return nil
	}
	slices.SortFunc(s.now, func(a, b item) int { return bytes.Compare(a.key, b.key) })
	name := filepath.Join(s.dir, fmt.Sprintf("run-%06d", len(s.runs)))
	f, err := os.Create(name) //nolint:gosec // in the import's own folder
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for _, one := range s.now {
		for _, part := range [][]byte{one.key, one.value} {
			if _, err := w.Write(binary.AppendUvarint(nil, uint64(len(part)))); err != nil {
				return errors.Join(err, f.Close())
			}
			if _, err := w.Write(part); err != nil {
				return errors.Join(err, f.Close())
			}
		}
	}
	s.runs, s.now, s.size = append(s.runs, name), nil, 0
	return errors.Join(w.Flush(), f.Close())
}

// each calls fn for all messages in order.
func (s *sorter) each(fn func(*importing.Message) error) error {
	if err := s.spill(); err != nil {
		return err
	}
	var all merge
	defer func() {
		for _, r := range all {
			_ = r.file.Close() // it was only read
		}
	}()
	for _, name := range s.runs {
		f, err := os.Open(name) //nolint:gosec // in the import's own folder
		if err != nil {
			return err
		}
		r := &run{file: f, from: bufio.NewReaderSize(f, max(4<<10, min(1<<20, s.limit/len(s.runs))))}
		if err := r.next(); err != nil {
			return errors.Join(err, f.Close())
		}
		all = append(all, r)
	}
	heap.Init(&all)
	for len(all) > 0 {
		r := all[0]
		var m importing.Message
		if err := json.Unmarshal(r.at.value, &m); err != nil {
			return err
		}
		if err := fn(&m); err != nil {
			return err
		}
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			heap.Pop(&all)
			if err := r.file.Close(); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			heap.Fix(&all, 0)
		}
	}
	return nil
}

// run is a run that is being read.
type run struct {
	file *os.File
	from *bufio.Reader
	at   item
}

// next reads the next message. Errors: io.EOF.
func (r *run) next() error {
	for i, to := range []*[]byte{&r.at.key, &r.at.value} {
		n, err := binary.ReadUvarint(r.from)
		if err != nil {
			if i > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		*to = slices.Grow((*to)[:0], int(n))[:n]
		if _, err := io.ReadFull(r.from, *to); err != nil {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}

// merge is a heap of runs by their next messages.
type merge []*run

func (m merge) Len() int           { return len(m) }
func (m merge) Less(i, j int) bool { return cmp.Less(string(m[i].at.key), string(m[j].at.key)) }
func (m merge) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)        { *m = append(*m, x.(*run)) }
func (m *merge) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

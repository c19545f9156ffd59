package engine

import (
	"context"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/message"
)

// countAll counts in a dry run what an import would write. It does not decode images, and downloads no files.
func (t *task) countAll(ctx context.Context) error {
	if err := t.writeDirectory(ctx); err != nil {
		return err
	}
	t.countImages()
	if err := t.countFiles(ctx); err != nil {
		return err
	}
	return t.countMessages(ctx)
}

// countImages counts avatars and custom emoji.
func (t *task) countImages() {
	missing := func(f *importing.File) bool {
		_, ok := t.Archive.Size(f.Path)
		return !ok && !importing.Remote(f)
	}
	t.ids[emojiTable] = map[int64]int64{}
	for _, e := range t.scan.Emoji {
		_, err := emoji.CheckName(e.Name)
		switch {
		case err != nil || e.Image == nil:
			t.report.Count(importing.Emojis, importing.Refused, "has no valid name or no image", e.Name)
		case missing(e.Image):
			t.report.Count(importing.Emojis, importing.Refused, "its image is missing in the archive", e.Name)
		default:
			t.ids[emojiTable][t.number(emojiTable, e.Key)] = 1
			t.report.Passed(importing.Emojis, e.Loss)
		}
	}
	for _, a := range t.scan.Avatars {
		switch {
		case !t.known(t.person(a.Person)):
			t.report.Count(importing.Avatars, importing.Skipped, "of somebody who was not imported", string(a.Person))
		case missing(a.Image):
			t.report.Count(importing.Avatars, importing.Refused, "its image is missing in the archive", string(a.Person))
		default:
			t.report.Passed(importing.Avatars, nil)
		}
	}
}

// countFiles counts the files.
func (t *task) countFiles(ctx context.Context) error {
	if t.Options.NoFiles {
		return nil
	}
	t.meter.begin("files", 0)
	return t.source.Files(ctx, func(f *importing.File) error {
		size, left := t.leftOut(f)
		t.meter.add(1, size)
		if left {
			return ctx.Err()
		}
		if _, ok := t.Archive.Size(f.Path); !ok && !importing.Remote(f) {
			t.report.Count(importing.Files, importing.Refused, "is missing in the archive", f.Path)
		} else {
			t.report.Passed(importing.Files, f.Loss)
		}
		return ctx.Err()
	})
}

// countMessages counts reactions, and messages that are in the archive twice, which follow each other when sorted.
func (t *task) countMessages(ctx context.Context) error {
	t.meter.begin("messages", t.messages.count)
	var before importing.Key
	return t.messages.each(func(m *importing.Message) error {
		t.meter.add(1, int64(len(m.Content)))
		if m.Key == before {
			t.leaveOut(m, importing.Skipped, twice)
			return ctx.Err()
		}
		before = m.Key
		for _, e := range m.Reactions {
			_, known := t.id(emojiTable, e.Custom)
			x := message.Reaction{Name: e.Name, Code: e.Code}
			if e.Custom != "" {
				x.Code = ""
			}
			if _, ok := t.unicode(x); ok || known {
				t.report.Count(importing.Reactions, importing.Imported, "", "")
			} else {
				t.report.Count(importing.Reactions, importing.Skipped, noEmoji+e.Name, string(m.Key))
			}
		}
		return ctx.Err()
	})
}

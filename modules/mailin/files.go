package mailin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// attachFiles stores the files of an email as a user's, and returns text, which is what is posted of the email's text,
// with links to them, and their path IDs. A link replaces the mark of a file, or else is appended; a file with a mark
// only in the rest of the text, which is quoted, is dropped. A text that is too long for a message is also stored as a
// file. If a file is rejected, the text names it instead, so that the message is posted nevertheless. attachFiles fails
// only with temporary errors, such as Unavailable.
func (s *service) attachFiles(
	ctx context.Context, as user.Actor, text string, m mailin.Mail,
) (content string, paths []string, err error) {
	var links []string
	attach := func(f mailin.File) (string, error) {
		url, name, err := s.storeFile(ctx, as, f)
		var rejection *errs.Error
		switch {
		case err == nil:
			paths = append(paths, strings.TrimPrefix(url, "/user_uploads/"))
			return "[" + linkText(name) + "](" + url + ")", nil
		case errors.As(err, &rejection) && rejection.Code != errs.Unavailable && rejection.Code != errs.Internal:
			return "(The attachment " + linkText(mail.Line(f.Name)) + " could not be stored.)", nil
		}
		return "", err
	}
	for _, f := range m.Files {
		mark := "[cid:" + f.Ref + "]"
		marked := f.Ref != "" && strings.Contains(text, mark)
		if !marked && f.Ref != "" && strings.Contains(m.Text, mark) {
			continue
		}
		link, err := attach(f)
		if err != nil {
			return "", nil, err
		}
		if marked {
			text = strings.ReplaceAll(text, mark, link)
		} else {
			links = append(links, link)
		}
	}
	if m.Dropped > 0 {
		links = append(links, fmt.Sprintf("(%d more attachments were not stored.)", m.Dropped))
	}
	room := message.MaxLength - utf8.RuneCountInString(strings.Join(links, "\n")) - maxNote
	if all := []rune(text); len(all) > room && s.Files != nil {
		link, err := attach(mailin.File{Name: "email.txt", Type: "text/plain; charset=utf-8", Data: []byte(text)})
		if err != nil {
			return "", nil, err
		}
		links = append([]string{"(The email is too long for a message.)", link}, links...)
		text = strings.TrimSpace(string(all[:max(0, room)])) + " …"
	}
	if text != "" && len(links) > 0 {
		text += endFence(text) + "\n\n"
	}
	return strings.TrimSpace(text + strings.Join(links, "\n")), paths, nil
}

// endFence returns what ends the block of code in which a text ends, or "".
func endFence(text string) string {
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		switch marks := line[:len(line)-len(strings.TrimLeft(line, line[:min(len(line), 1)]))]; {
		case fence != "" && line == fence:
			fence = ""
		case fence == "" && len(marks) >= 3 && (marks[0] == '`' || marks[0] == '~'):
			fence = marks
		}
	}
	if fence != "" {
		return "\n" + fence
	}
	return ""
}

// maxNote is enough for the note and the link that say that a text is too long, in characters.
const maxNote = 400

func (s *service) storeFile(ctx context.Context, as user.Actor, f mailin.File) (url, name string, err error) {
	if s.Files == nil {
		return "", "", errs.Bad("This server stores no files.")
	}
	return s.Files.StoreFile(ctx, as, f.Name, f.Type, bytes.NewReader(f.Data))
}

// linkText removes from a name the characters that cannot appear in the text of a Markdown link.
func linkText(name string) string { return strings.NewReplacer("[", "", "]", "").Replace(name) }

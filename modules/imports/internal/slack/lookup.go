package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/stoachat/stoa/domain/importing"
)

// maxPages limits the pages of a list that are asked for, of 200 people each.
const maxPages = 5000

// api is where Slack answers questions.
const api = "https://slack.com/api/"

// lookUp asks Slack for what exports lack: custom emoji, addresses of people, and names of profile fields. Without an
// answer, there is none.
func (s *source) lookUp(ctx context.Context) error {
	if s.Fetch == nil {
		return nil
	}
	for _, x := range []struct {
		what string
		ask  func(context.Context) error
	}{
		{"custom emoji", s.lookUpEmoji}, {"email addresses", s.lookUpAddresses},
		{"names of profile fields", s.lookUpFields},
	} {
		err := x.ask(ctx)
		if importing.IsUnusable(err) || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if err != nil {
			s.Report.Note("The %s could not be downloaded: %v", x.what, err)
		}
	}
	return nil
}

func (s *source) lookUpEmoji(ctx context.Context) error {
	var answer struct {
		Emoji map[string]string `json:"emoji"`
	}
	err := s.ask(ctx, "emoji.list", &answer)
	s.emoji = resolveEmoji(answer.Emoji, s.EmojiCode)
	return err
}

// lookUpAddresses completes people whose addresses are not in the export.
func (s *source) lookUpAddresses(ctx context.Context) error {
	cursor := ""
	for range maxPages {
		var answer struct {
			Members []struct {
				ID      text `json:"id"`
				Profile struct {
					Email text `json:"email"`
				} `json:"profile"`
			} `json:"members"`
			Metadata struct {
				Cursor text `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := s.ask(ctx, "users.list?limit=200&cursor="+url.QueryEscape(cursor), &answer); err != nil {
			return err
		}
		for _, m := range answer.Members {
			if p := s.people[m.ID.s()]; p != nil && p.About.v != nil && p.About.v.Email == "" {
				p.About.v.Email = m.Profile.Email
			}
		}
		if cursor = answer.Metadata.Cursor.s(); cursor == "" {
			break
		}
	}
	return nil
}

func (s *source) lookUpFields(ctx context.Context) error {
	var answer struct {
		Profile struct {
			Fields []struct{ ID, Label text } `json:"fields"`
		} `json:"profile"`
	}
	err := s.ask(ctx, "team.profile.get", &answer)
	s.fieldNames = map[string]string{}
	for _, f := range answer.Profile.Fields {
		s.fieldNames[f.ID.s()] = f.Label.s()
	}
	return err
}

// ask asks Slack a question. Its own errors are words such as missing_scope.
func (s *source) ask(ctx context.Context, question string, answer any) error {
	content, _, err := s.Fetch.Get(ctx, api+question)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(content, importing.MaxValue))
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	var state struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
	}
	if err := importing.Decode(body, &state); err != nil {
		return fmt.Errorf("read the answer of Slack: %w", err)
	}
	if !state.OK {
		return fmt.Errorf("slack answers %.60q", state.Error)
	}
	return json.Unmarshal(body, answer)
}

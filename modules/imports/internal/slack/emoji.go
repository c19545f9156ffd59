package slack

import (
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// otherNames are names of Slack's emoji that are not known here, with one that is.
var otherNames = map[string]string{
	"simple_smile": "slightly_smiling_face", "the_horns": "metal", "sign_of_the_horns": "metal",
	"face_with_rolling_eyes": "roll_eyes", "thinking_face": "thinking", "hugging_face": "hugs",
	"knife_fork_plate": "plate_with_cutlery", "rolling_on_the_floor_laughing": "rofl",
	"face_with_cowboy_hat": "cowboy_hat_face", "face_with_raised_eyebrow": "raised_eyebrow", "face_palm": "facepalm",
	"robot_face": "robot", "spock-hand": "vulcan_salute", "hand_with_index_and_middle_fingers_crossed": "crossed_fingers",
	"lower_left_ballpoint_pen": "pen", "lower_left_pencil": "pencil2", "lower_left_paintbrush": "paintbrush",
	"waving_white_flag": "white_flag", "waving_black_flag": "black_flag", "admission_tickets": "tickets",
	"shocked_face_with_exploding_head": "exploding_head", "grinning_face_with_star_eyes": "star_struck",
	"reversed_hand_with_middle_finger_extended": "middle_finger", "derelict_house_building": "derelict_house",
}

// emojiSet knows the emoji of the workspace.
type emojiSet struct {
	unicode func(name string) (code string, ok bool)
	custom  map[string]customEmoji
}

// customEmoji is an emoji of the workspace: an image, or another name of one.
type customEmoji struct{ key, url, unicode string }

// code returns the code of a Unicode emoji by one of Slack's names.
func (e emojiSet) code(name string) (string, bool) {
	if c, ok := e.custom[name]; ok {
		return c.unicode, c.unicode != ""
	}
	if e.unicode == nil {
		return "", false
	}
	for _, n := range []string{name, otherNames[name], strings.ReplaceAll(name, "-", "_")} {
		if n == "" {
			continue
		}
		if code, ok := e.unicode(n); ok {
			return code, true
		}
	}
	land, ok := strings.CutPrefix(name, "flag-")
	if ok && len(land) == 2 && strings.Trim(land, "abcdefghijklmnopqrstuvwxyz") == "" {
		letter := func(c byte) string { return strconv.FormatInt(0x1f1e6+int64(c-'a'), 16) }
		return letter(land[0]) + "-" + letter(land[1]), true
	}
	return "", false
}

// show returns the span for an emoji's name, or false if there is no such emoji.
func (e emojiSet) show(name string) (span, bool) {
	base, tone := importing.SkinTone(name)
	if c, ok := e.custom[base]; ok && c.unicode == "" {
		shown := ":" + base + ":"
		return reference(importing.CustomEmoji(importing.Key(c.key), shown), shown), true
	}
	code, ok := e.code(base)
	if !ok {
		return span{}, false
	}
	if tone == 0 && e.unicode != nil {
		if _, known := e.unicode(base); known {
			return span{kind: rawSpan, text: ":" + base + ":", md: ":" + base + ":"}, true
		}
	}
	chars, ok := characters(code, tone)
	return span{kind: rawSpan, text: chars, md: chars}, ok
}

// characters returns the characters of a code such as "1f1e9-1f1ea", with a skin tone after the first one.
func characters(code string, tone rune) (string, bool) {
	var b strings.Builder
	for i, hex := range strings.Split(code, "-") {
		n, err := strconv.ParseUint(hex, 16, 21)
		if err != nil || n < 0x20 || n > 0x10ffff {
			return "", false
		}
		b.WriteRune(rune(n))
		if i == 0 && tone != 0 {
			b.WriteRune(tone)
		}
	}
	return importing.CleanText(b.String()), true
}

// reactions converts the reactions of a message. missing is the number of those whose people are not listed.
func (e emojiSet) reactions(all []reaction) (out []importing.Emote, missing int64) {
	for _, r := range all {
		name, _ := importing.SkinTone(r.Name.s())
		missing += max(0, min(int64(r.Count), 1_000_000)-int64(len(r.Users)))
		one := importing.Emote{Name: name}
		if c, ok := e.custom[name]; ok && c.unicode == "" {
			one.Custom = importing.Key(c.key)
		} else {
			one.Code, _ = e.code(name)
		}
		seen := map[text]bool{}
		for _, u := range r.Users {
			if u != "" && !seen[u] {
				one.By = importing.Key(u)
				out = append(out, one)
			}
			seen[u] = true
		}
	}
	return out, missing
}

// resolveEmoji follows the aliases of a list of emoji: addresses by name, or "alias:" and another name.
func resolveEmoji(all map[string]string, unicode func(string) (string, bool)) map[string]customEmoji {
	out := map[string]customEmoji{}
	for name, target := range all {
		at, steps := name, 0
		for ; strings.HasPrefix(target, "alias:") && steps <= len(all) && steps < 32; steps++ {
			at = strings.TrimPrefix(target, "alias:")
			next, ok := all[at]
			if !ok {
				break
			}
			target = next
		}
		if !strings.HasPrefix(target, "alias:") {
			out[name] = customEmoji{key: at, url: target}
			continue
		}
		if code, ok := (emojiSet{unicode: unicode}).code(at); ok {
			out[name] = customEmoji{unicode: code}
		}
	}
	return out
}

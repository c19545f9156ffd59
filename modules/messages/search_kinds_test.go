package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// sought is a search, and what is highlighted in each message that it finds, in brackets.
type sought struct {
	query string
	found []string
}

// finding sends the texts, and checks what each search finds and highlights, before and after the texts are indexed.
func finding(t *testing.T, texts []string, all []sought) {
	t.Helper()
	s := startFull(t)
	for _, text := range texts {
		post(s, "alice", "general", "kinds", text)
	}
	marks := strings.NewReplacer("<p>", "", "</p>", "", `<span class="highlight">`, "[", "</span>", "]")
	check := func(when string) {
		t.Helper()
		for _, c := range all {
			var got []string
			a := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "50", "narrow",
				fmt.Sprintf(`[["search",%q]]`, c.query)).OK()
			for i := 0; a.Has(fmt.Sprintf("messages.%d", i)); i++ {
				got = append(got, marks.Replace(a.String(fmt.Sprintf("messages.%d.match_content", i))))
			}
			if strings.Join(got, "\n") != strings.Join(c.found, "\n") {
				t.Errorf("%s: %s finds %q, want %q", when, c.query, got, c.found)
			}
		}
	}
	check("not indexed")
	s.RunJob("messages.search")
	check("indexed")
}

func TestSearchScriptsWithoutSpaces(t *testing.T) {
	finding(t, []string{
		"เราจะไปกินข้าวที่ตลาด", "ไม่มีใครอยู่บ้าน",
		"ຂ້ອຍຮັກພາສາລາວຫຼາຍ", "ខ្ញុំចូលចិត្តភាសាខ្មែរណាស់", "ខ្ញុំ\u200bរៀន\u200bភាសា\u200bខ្មែរ",
		"ကျွန်တော်မြန်မာစာသင်နေတယ်", "ང་བོད་ཡིག་སློབ་སྦྱོང་བྱེད།", "このサーバーは速い",
	}, []sought{
		{"กินข้าว", []string{"เราจะไป[กินข้าว]ที่ตลาด"}},
		{"ตลาด ข้าว", []string{"เราจะไปกิน[ข้าว]ที่[ตลาด]"}},
		{"ที", nil}, // without the tone mark it is another word
		{"ไม่", []string{"[ไม่]มีใครอยู่บ้าน"}},
		{"ไม", nil},
		{"ข้าวกิน", nil},
		{"ພາສາລາວ", []string{"ຂ້ອຍຮັກ[ພາສາລາວ]ຫຼາຍ"}},
		{"ភាសាខ្មែរ", []string{"ខ្ញុំចូលចិត្ត[ភាសាខ្មែរ]ណាស់", "ខ្ញុំ\u200bរៀន\u200b[ភាសា\u200bខ្មែរ]"}},
		{"ខ", nil}, // the letter below it belongs to it
		{"မြန်မာစာ", []string{"ကျွန်တော်[မြန်မာစာ]သင်နေတယ်"}},
		{"བོད་ཡིག", []string{"ང་[བོད་ཡིག]་སློབ་སྦྱོང་བྱེད།"}},
		{"サーバー", []string{"この[サーバー]は速い"}},
	})
}

func TestSearchSigns(t *testing.T) {
	finding(t, []string{
		"I can't, he can’t", "can you see t?", "AT&T", "at t",
		"C++ and C#", "C, c.", ".NET 9", "the net", "v1.2.3", "v1 2 3", "foo_bar", "foo bar",
		"see #1234", "1234 or #12345", "ada@example.com", "ada at example, com", "http://ci.example.org/run/8",
		"ci org example", "10.0.0.1", "10.0.0.12", "`/etc/hosts`", "hosts etc",
		"R&D", ":-) x", "++",
	}, []sought{
		{"can't", []string{"I [can't], he [can’t]"}},
		{"t", []string{"can you see [t]?", "at [t]"}},
		{"AT&T", []string{"[AT&amp;T]"}},
		{"c++", []string{"[C++] and C#"}},
		{"C#", []string{"C++ and [C#]"}},
		{"C", []string{"[C], [c]."}},
		{".NET", []string{"[.NET] 9"}},
		{"net", []string{".[NET] 9", "the [net]"}},
		{"v1.2.3", []string{"[v1.2.3]"}},
		{"foo_bar", []string{"[foo_bar]"}},
		{"foo", []string{"[foo]_bar", "[foo] bar"}},
		{"#1234", []string{"see [#1234]"}},
		{"1234", []string{"see #[1234]", "[1234] or #[12345]"}},
		{"ada@example.com", []string{`<a href="mailto:ada@example.com">[ada@example.com]</a>`}},
		{"ci.example.org", []string{`<a href="http://ci.example.org/run/8">http://[ci.example.org]/run/8</a>`}},
		{"example.org/run", []string{`<a href="http://ci.example.org/run/8">http://ci.[example.org/run]/8</a>`}},
		{"10.0.0.1", []string{"[10.0.0.1]"}},
		{"/etc/hosts", []string{"<code>[/etc/hosts]</code>"}},
		{"r&d", []string{"[R&amp;D]"}},
		{"d", nil},
		{":-)", []string{"[:-)] x"}},
		{"++", []string{"C[++] and C#", "[++]"}},
		{"- ++ ;", nil},
	})
}

func TestSearchAccents(t *testing.T) {
	finding(t, []string{
		"un café noir", "a cafe here", "cafe\u0301 crème", "die Straßenbahn", "a STRASSENBAHN",
		"ışık", "ISIK", "Đà Nẵng", "da nang", "Ελλάδα", "ΕΛΛΑΔΑ", "Łódź", "lodz", "smørrebrød æbler", "smorrebrod",
		"чай", "чаи", "thé vert", "the vert",
	}, []sought{
		{"cafe", []string{"un [café] noir", "a [cafe] here", "[cafe\u0301] crème"}},
		{"CAFÉ", []string{"un [café] noir", "a [cafe] here", "[cafe\u0301] crème"}},
		{`"café"`, []string{"un [café] noir", "[cafe\u0301] crème"}},
		{`"cafe"`, []string{"a [cafe] here"}},
		{`"Un Café"`, []string{"[un café] noir"}},
		{"strassenbahn", []string{"die [Straßenbahn]", "a [STRASSENBAHN]"}},
		{"straßenbahn", []string{"die [Straßenbahn]", "a [STRASSENBAHN]"}},
		{`"straßenbahn"`, []string{"die [Straßenbahn]"}},
		{"isik", []string{"[ışık]", "[ISIK]"}},
		{"ışık", []string{"[ışık]", "[ISIK]"}},
		{"da nang", []string{"[Đà] [Nẵng]", "[da] [nang]"}},
		{"Đà Nẵng", []string{"[Đà] [Nẵng]", "[da] [nang]"}},
		{"ελλαδα", []string{"[Ελλάδα]", "[ΕΛΛΑΔΑ]"}},
		{"lodz", []string{"[Łódź]", "[lodz]"}},
		{"Łódź", []string{"[Łódź]", "[lodz]"}},
		{"smorrebrod", []string{"[smørrebrød] æbler", "[smorrebrod]"}},
		{"aebler", []string{"smørrebrød [æbler]"}},
		{"чай", []string{"[чай]"}}, // another letter, not an accent
		{"thé vert", []string{"[thé] [vert]", "[the] [vert]"}},
	})
}

// After an upgrade, the index entries of old messages have another form until a job has replaced them. Meanwhile,
// searches find old messages as before.
func TestIndexUpgrade(t *testing.T) {
	s := startStored(t)
	texts := map[string]string{ // and their former entries
		"Ångström café":   "ångström ˇång ˇångs ˇångst ˇångstr café ˇcaf",
		"ภาษาไทยยาก":      "ภาษาไทยยาก ˇภาษ ˇภาษา ˇภาษาไ ˇภาษาไท",
		"can't do C++":    "can t do c",
		"日本語":             "日 本 日本 語 本語",
		"running at home": "running ˇrun ˇrunn ˇrunni ˇrunnin run at home ˇhom",
		"naïve words":     "naïve ˇnaï ˇnaïv words ˇwor ˇword word",
	}
	ids := map[string]int64{}
	for text := range texts {
		ids[text] = post(s.Server, "alice", "general", "x", text)
	}
	filler := post(s.Server, "alice", "general", "x", "unicorn")
	s.fill(filler, 450, "recipient_id") // several batches
	s.RunJob("messages.search")
	for text, former := range texts {
		s.exec("UPDATE message_search SET content = ? WHERE rowid = ?", former, ids[text])
	}
	s.exec("UPDATE message_search_state SET former = indexed")

	find := func(s *kittest.Server, query string) string {
		t.Helper()
		a := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "50", "narrow",
			fmt.Sprintf(`[["search",%q]]`, query)).OK()
		found := ""
		for i := 0; a.Has(fmt.Sprintf("messages.%d", i)); i++ {
			found += a.String(fmt.Sprintf("messages.%d.content", i))
		}
		return found
	}
	asBefore := func(s *kittest.Server, when string) {
		t.Helper()
		for query, want := range map[string]string{
			"café": "<p>Ångström café</p>", "ångström": "<p>Ångström café</p>", "ภาษา": "<p>ภาษาไทยยาก</p>",
			"can't": "<p>can't do C++</p>", "c++": "<p>can't do C++</p>", "日本": "<p>日本語</p>",
			"runs": "<p>running at home</p>", "naïve": "<p>naïve words</p>", "can't naïve": "",
		} {
			if got := find(s, query); got != want {
				t.Errorf("%s: %s finds %q, want %q", when, query, got, want)
			}
		}
	}
	asBefore(s.Server, "before")
	edit(s.Server, "alice", ids["naïve words"], "content", "naïve Grüße").OK()
	if got := find(s.Server, "gruesse") + find(s.Server, "grusse naive"); got != "<p>naïve Grüße</p>" {
		t.Errorf("an edited message: %q", got)
	}
	edit(s.Server, "alice", ids["naïve words"], "content", "naïve words").OK()
	asBefore(s.Server, "after edits")
	edit(s.Server, "alice", ids["can't do C++"], "topic", "Fête", "send_notification_to_new_thread", "false").OK()
	if got := find(s.Server, "fete can't"); got != "<p>can't do C++</p>" {
		t.Errorf("a moved message: %q", got)
	}
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", filler+1)).OK()

	other := s.Another()
	before := s.count("message_search")
	s.exec("UPDATE message_search_state SET former = ?", filler+200) // as if a run had been interrupted
	other.RunJob("messages.reindex")
	s.RunJob("messages.reindex")
	asBefore(s.Server, "after")
	asBefore(other, "after, on another node")
	for query, want := range map[string]string{
		"angstrom cafe": "<p>Ångström café</p>", "ไทย": "<p>ภาษาไทยยาก</p>", "naive": "<p>naïve words</p>",
	} {
		if got := find(s.Server, query); got != want {
			t.Errorf("after: %s finds %q, want %q", query, got, want)
		}
	}
	if n := s.count("message_search"); n != before {
		t.Errorf("%d entries became %d", before, n)
	}
	if n := s.count("message_search_state WHERE former > 0"); n != 0 {
		t.Error("the job has not finished")
	}
}

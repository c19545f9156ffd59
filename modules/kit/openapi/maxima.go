package openapi

import (
	"slices"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/navigation"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/snippet"
	"github.com/stoachat/stoa/domain/status"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// maxima are the limits of parameters that the domain enforces: the length of a text, the number of elements of a list,
// or the number itself, by operation and parameter. Those of elements have [] behind the parameter. What the server
// cuts off, such as the topics of messages, has no limit here. TestMaxima finds them enforced.
var maxima = map[string]int{
	"addAlertWords.alert_words":                        alertword.MaxCount,
	"addAlertWords.alert_words[]":                      alertword.MaxLength,
	"createBot.full_name":                              user.MaxName,
	"createChannel.description":                        channel.MaxDescription,
	"createChannel.name":                               channel.MaxName,
	"createChannelFolder.description":                  channel.MaxFolderDescription,
	"createChannelFolder.name":                         channel.MaxFolderName,
	"createDefaultChannelGroup.description":            channel.MaxBundleDescription,
	"createDefaultChannelGroup.group_name":             channel.MaxBundleName,
	"createNavigationView.fragment":                    navigation.MaxFragment,
	"createNavigationView.name":                        navigation.MaxName,
	"createReminder.note":                              scheduled.MaxNote,
	"createSavedSnippet.content":                       snippet.MaxContent,
	"createSavedSnippet.title":                         snippet.MaxTitle,
	"createUser.full_name":                             user.MaxName,
	"createUser.password":                              user.MaxPassword,
	"createUserGroup.description":                      group.MaxDescription,
	"createUserGroup.name":                             group.MaxName,
	"deactivateUser.deactivation_notification_comment": user.MaxComment,
	"muteTopic.topic":                                  topic.MaxLength,
	"reportMessage.description":                        message.MaxReport,
	"setTopicPolicy.topic":                             topic.MaxLength,
	"updateChannel.description":                        channel.MaxDescription,
	"updateChannel.new_name":                           channel.MaxName,
	"updateOwnStatus.status_text":                      status.MaxText,
	"updateSettings.full_name":                         user.MaxName,
	"updateUser.full_name":                             user.MaxName,
	"updateUserGroup.description":                      group.MaxDescription,
	"updateUserGroup.name":                             group.MaxName,
	"updateUserStatus.status_text":                     status.MaxText,
}

// limited returns a copy of a parameter's schema with its limits.
func (b *builder) limited(id, name string, s *Schema) *Schema {
	most, ok := maxima[id+"."+name]
	each, eachOK := maxima[id+"."+name+"[]"]
	if !ok && !eachOK {
		return s
	}
	c := *s
	if ok {
		switch kinds := Kinds(s); {
		case slices.Contains(kinds, "array"):
			c.MaxItems = most
		case slices.Contains(kinds, "string"):
			c.MaxLength = most
		case slices.Contains(kinds, "integer"):
			c.Maximum = pointer(int64(most))
		default:
			b.problem("%s.%s has a limit, but no type for it", id, name)
		}
	}
	if eachOK {
		element := *s.Items
		element.MaxLength = each
		c.Items = &element
	}
	return &c
}

// Maxima returns the parameters with limits.
func Maxima() map[string]int { return maxima }

/** viewable selects the pictures and videos of messages that the viewer shows. Others lead to pages elsewhere. */
export const viewable = '.message_inline_image:not(.youtube-video, .embed-video) :is(img, video), img.inline-image';

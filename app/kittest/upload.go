package kittest

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/textproto"
)

// Upload sends "METHOD /path" with a file in a multipart form, preceded by parameters given as name, value, ....
func (c *Client) Upload(call, name string, content []byte, params ...string) *Response {
	c.s.T.Helper()
	return c.UploadAs(call, name, "application/octet-stream", content, params...)
}

// UploadAs is Upload with a content type.
func (c *Client) UploadAs(call, name, contentType string, content []byte, params ...string) *Response {
	t := c.s.T
	t.Helper()
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", multipart.FileContentDisposition("file", name))
	header.Set("Content-Type", contentType)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i+1 < len(params); i += 2 {
		if err := w.WriteField(params[i], params[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreatePart(header)
	if err == nil {
		_, err = part.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.Send(call, w.FormDataContentType(), &b)
}

// PNG returns a transparent image of the given size in pixels.
func PNG(width, height int) []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, width, height))) // writing to memory does not fail
	return b.Bytes()
}

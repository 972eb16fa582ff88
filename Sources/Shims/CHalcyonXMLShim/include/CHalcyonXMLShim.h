// Parses XML with libxml2, whose headers include ICU's, which Foundation has in another version.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const char *name;
  // NULL without a namespace.
  const char *namespace_uri;
  // Not terminated.
  const char *value;
  size_t value_length;
} xml_shim_attribute;

// What is reported while a document is parsed; a function that returns false ends the parsing.
typedef struct {
  void *user;
  bool (*start)(
    void *user, const char *name, const char *namespace_uri, const xml_shim_attribute *attributes, int count);
  void (*end)(void *user);
  bool (*text)(void *user, const char *text, int length);
  // A declaration; the content is NULL for an external or a parameter entity.
  bool (*entity)(void *user, const char *content);
  // A reference to an entity of so many bytes, in text, in attributes and, at a greater depth, in other entities.
  bool (*reference)(void *user, int byte_count, int depth);
  // The encoding is one in which `xml_shim_most_values` cannot find markup; parsing ends.
  void (*refuse_encoding)(void *user, const char *name);
} xml_shim_handler;

// Whether the document is well-formed; if not, `message` receives the reason. Loads no external entities.
bool xml_shim_parse(
  const void *bytes, int count, const xml_shim_handler *handler, char *message, size_t message_size);

// The largest number of attributes of an element, before the document is parsed, which compares each with all others:
// quoted values in one tag, and with enumerated ones in all `ATTLIST` declarations together. Of a document in UTF-8, or in another encoding
// that has the bytes of ASCII.
int xml_shim_most_values(const void *bytes, int count);

#include "CHalcyonXMLShim.h"

// Needed with the trait SVG only; without it, the library may be missing.
#if __has_include(<libxml/SAX2.h>)
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const xml_shim_handler *handler_of(void *context) { return ((xmlParserCtxtPtr)context)->_private; }

static void stop_unless(bool goes_on, void *context) {
  if (!goes_on) xmlStopParser(context);
}

static void start_element(
  void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
  const xmlChar **namespaces, int count, int default_count, const xmlChar **parts) {
  (void)prefix, (void)namespace_count, (void)namespaces, (void)default_count;
  const xml_shim_handler *handler = handler_of(context);
  xml_shim_attribute *attributes = calloc((size_t)count + 1, sizeof *attributes);
  if (!attributes) return xmlStopParser(context);
  for (int i = 0; i < count; i++) {
    // Local name, prefix, namespace, start and end of the value.
    const char **part = (const char **)parts + 5 * i;
    attributes[i] = (xml_shim_attribute){part[0], part[2], part[3], (size_t)(part[4] - part[3])};
  }
  stop_unless(handler->start(handler->user, (const char *)name, (const char *)uri, attributes, count), context);
  free(attributes);
}

static void end_element(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)name, (void)prefix, (void)uri;
  const xml_shim_handler *handler = handler_of(context);
  handler->end(handler->user);
}

static void characters(void *context, const xmlChar *text, int length) {
  const xml_shim_handler *handler = handler_of(context);
  stop_unless(handler->text(handler->user, (const char *)text, length), context);
}

static void declare_entity(
  void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content) {
  const xml_shim_handler *handler = handler_of(context);
  bool is_internal = type == XML_INTERNAL_GENERAL_ENTITY;
  bool is_accepted = handler->entity(handler->user, is_internal ? (const char *)content : NULL);
  if (is_accepted) xmlSAX2EntityDecl(context, name, type, public_id, system_id, content);
  stop_unless(is_accepted, context);
}

static xmlEntityPtr get_entity(void *context, const xmlChar *name) {
  xmlEntityPtr entity = xmlSAX2GetEntity(context, name);
  if (!entity) return NULL;
  xmlParserCtxtPtr parser = context;
  const xml_shim_handler *handler = handler_of(context);
  if (handler->reference(handler->user, entity->length, parser->depth)) return entity;
  // Otherwise libxml2 looks the entity up itself.
  parser->wellFormed = 0;
  xmlStopParser(context);
  return NULL;
}

static void ignore_error(void *context, xmlErrorPtr error) { (void)context, (void)error; }

static bool has_prefix(const char *text, const char *end, const char *prefix) {
  size_t length = strlen(prefix);
  return (size_t)(end - text) >= length && !memcmp(text, prefix, length);
}

// The last byte of the next `mark`, or of the text.
static const char *skip(const char *text, const char *end, const char *mark) {
  while (text < end && !has_prefix(text, end, mark)) text++;
  return text < end ? text + strlen(mark) - 1 : end - 1;
}

int xml_shim_most_values(const void *bytes, int count) {
  const char *end = (const char *)bytes + count;
  int most = 0, values = 0, defaults = 0;
  bool is_tag = false, is_declaration = false;
  char quote = 0;
  for (const char *text = bytes; text < end; text++) {
    if (quote) {
      if (*text != quote) continue;
      quote = 0;
      int number = is_declaration ? ++defaults : ++values;
      if (number > most) most = number;
    } else if (has_prefix(text, end, "<!--")) {
      text = skip(text + 4, end, "-->");
    } else if (has_prefix(text, end, "<![CDATA[")) {
      text = skip(text, end, "]]>");
    } else if (has_prefix(text, end, "<?")) {
      text = skip(text + 2, end, "?>");
    } else if (*text == '<') {
      is_tag = true;
      is_declaration = has_prefix(text, end, "<!ATTLIST");
      values = 0;
    } else if (*text == '>') {
      is_tag = is_declaration = false;
    } else if (is_tag && (*text == '"' || *text == '\'')) {
      quote = *text;
    } else if (is_declaration && *text == '|' && ++defaults > most) {
      most = defaults;
    }
  }
  return most;
}

// Encodings in which the bytes of markup stand for nothing else.
static const char *const encodings[] = {
  "UTF-8", "UTF8", "UTF-16", "ASCII", "US-ASCII", "ISO-8859-", "ISO8859-", "ISO_8859-", "LATIN1", "WINDOWS-", "CP125",
  "KOI8-", "MACINTOSH", "SHIFT_JIS", "SHIFT-JIS", "SJIS", "EUC-", "GB2312", "GBK", "GB18030", "BIG5"};

static void start_document(void *context) {
  xmlSAX2StartDocument(context);
  const xmlParserCtxt *parser = context;
  const char *encoding = (const char *)parser->encoding;
  if (!encoding && parser->input) encoding = (const char *)parser->input->encoding;
  if (!encoding) return;
  for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
    if (!strncasecmp(encoding, encodings[i], strlen(encodings[i]))) return;
  const xml_shim_handler *handler = handler_of(context);
  handler->refuse_encoding(handler->user, encoding);
  xmlStopParser(context);
}

bool xml_shim_parse(
  const void *bytes, int count, const xml_shim_handler *handler, char *message, size_t message_size) {
  message[0] = 0;
  xmlParserCtxtPtr context = xmlCreateMemoryParserCtxt(bytes, count);
  if (!context) return false;
  // The handler has limits of its own, of what entities expand to, too.
  xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_HUGE);
  *context->sax = (xmlSAXHandler){
    .initialized = XML_SAX2_MAGIC,
    .startDocument = start_document,
    .internalSubset = xmlSAX2InternalSubset,
    .getEntity = get_entity,
    .entityDecl = declare_entity,
    .startElementNs = start_element,
    .endElementNs = end_element,
    .characters = characters,
    .cdataBlock = characters,
    // Errors are read from the context, not printed.
    .serror = ignore_error,
  };
  context->_private = (void *)handler;
  xmlParseDocument(context);
  bool is_well_formed = context->wellFormed;
  if (!is_well_formed && context->lastError.message)
    snprintf(message, message_size, "%s", context->lastError.message);
  xmlFreeDoc(context->myDoc);
  context->myDoc = NULL;
  xmlFreeParserCtxt(context);
  return is_well_formed;
}
#endif

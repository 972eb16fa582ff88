#include "XMLShim.h"

// Needed with the trait SVG only; without it, the library may be missing.
#if __has_include(<libxml/SAX2.h>)
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>

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

static void ignore_error(void *context, xmlErrorPtr error) { (void)context, (void)error; }

bool xml_shim_parse(
  const void *bytes, int count, const xml_shim_handler *handler, char *message, size_t message_size) {
  message[0] = 0;
  xmlParserCtxtPtr context = xmlCreateMemoryParserCtxt(bytes, count);
  if (!context) return false;
  xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_NOENT);
  *context->sax = (xmlSAXHandler){
    .initialized = XML_SAX2_MAGIC,
    .startDocument = xmlSAX2StartDocument,
    .internalSubset = xmlSAX2InternalSubset,
    .getEntity = xmlSAX2GetEntity,
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

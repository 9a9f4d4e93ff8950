/* Clang's base header, which the front end serves from memory: text, then a NUL. */
  .section .rodata
  .balign 16
  .globl kiln_embed_base_header, kiln_embed_base_header_end
  .hidden kiln_embed_base_header, kiln_embed_base_header_end
kiln_embed_base_header:
  .incbin KILN_BASE_HEADER
kiln_embed_base_header_end:
  .byte 0
  .section .note.GNU-stack,"",@progbits

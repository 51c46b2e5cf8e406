//! Who touches whom in a mesh: unique edges, hinges, boundary faces.
//!
//! Everything is found by bucketing on the smallest vertex (counting sort), linear in the number of
//! elements and independent of hash order, so that the same mesh always gives the same lists.
